// view: what main.ts and the views know of each other.

export interface View {
    readonly element: HTMLElement;
    readonly title: string;
    /** Shows the state of a link, "" for the usual one; returns sentences about what in it made no sense. */
    enter(query: string): string[];
    /** Another view comes: stop what moves. */
    leave?(): void;
}

export interface Context {
    /** A sentence for the person, above the view. */
    notice(sentence: string): void;
    fail(error: unknown): void;
    /** Puts the state into the address. */
    remember(query: string): void;
    /** The address of what is shown. */
    link(): string;
}
