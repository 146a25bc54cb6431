// GuavaFilter: Guava's own Bloom filters, for comparison with ours. It reads orders from standard input, one per line:
//
//   write STRATEGY FUNNEL CAPACITY FPP KEYS OUT      a filter of the keys in a file, one per line, as BloomFilter.writeTo writes it
//   ask FUNNEL FILTER KEYS OUT                       the keys of a file that BloomFilter.mightContain finds
//
// STRATEGY is 32 or 64, FUNNEL bytes, string or long. It is in Guava's package because the older strategy can be chosen only there.
package com.google.common.hash;

import java.io.BufferedReader;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

final class GuavaFilter {
    public static void main(String[] args) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            String[] words = line.split(" ");
            boolean writes = words[0].equals("write");
            switch (words[writes ? 2 : 1]) {
                case "bytes":
                    obey(words, writes, Funnels.byteArrayFunnel(), text -> text.getBytes(StandardCharsets.UTF_8));
                    break;
                case "string":
                    obey(words, writes, Funnels.stringFunnel(StandardCharsets.UTF_8), text -> text);
                    break;
                case "long":
                    obey(words, writes, Funnels.longFunnel(), Long::parseLong);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
        }
    }

    private static <T> void obey(String[] words, boolean writes, Funnel<? super T> funnel, Function<String, T> keyOf)
            throws Exception {
        if (writes) {
            BloomFilter.Strategy strategy = words[1].equals("32")
                    ? BloomFilterStrategies.MURMUR128_MITZ_32 : BloomFilterStrategies.MURMUR128_MITZ_64;
            BloomFilter<T> filter =
                    BloomFilter.create(funnel, Long.parseLong(words[3]), Double.parseDouble(words[4]), strategy);
            for (String key : Files.readAllLines(Path.of(words[5]))) {
                filter.put(keyOf.apply(key));
            }
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(words[6])))) {
                filter.writeTo(out);
            }
            return;
        }
        List<String> found = new ArrayList<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(words[2])))) {
            BloomFilter<T> filter = BloomFilter.readFrom(in, funnel);
            for (String key : Files.readAllLines(Path.of(words[3]))) {
                if (filter.mightContain(keyOf.apply(key))) {
                    found.add(key);
                }
            }
        }
        Files.write(Path.of(words[4]), found);
    }
}
