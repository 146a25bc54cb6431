// Files that esbuild puts into the script as text.
declare module "*.graphml" {
    const text: string;
    export default text;
}
