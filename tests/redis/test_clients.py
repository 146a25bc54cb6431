"""redis-py, as it is, against the module: its own classes for BF and CF."""

import unittest

from server import Server

try:
    import redis
except ImportError:
    redis = None
try:
    import hiredis
except ImportError:
    hiredis = None


@unittest.skipIf(redis is None, "redis-py is not installed")
class RedisPy(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.client = redis.Redis(port=self.server.port)

    def tearDown(self):
        self.client.close()
        self.server.stop()

    def test_bloom(self):
        bf = self.client.bf()
        self.assertTrue(bf.create("f", 0.01, 1000))
        self.assertTrue(bf.create("g", 0.01, 1000, expansion=4))
        self.assertTrue(bf.create("h", 0.01, 1000, noScale=True))
        with self.assertRaisesRegex(redis.ResponseError, "item exists"):
            bf.create("f", 0.01, 1000)
        self.assertEqual(bf.add("f", "a"), 1)
        self.assertEqual(bf.add("f", "a"), 0)
        self.assertEqual(bf.madd("f", "a", "b"), [0, 1])
        self.assertEqual(bf.insert("i", ["a", "b"], capacity=500, error=0.001, expansion=2), [1, 1])
        self.assertEqual(bf.exists("f", "b"), 1)
        self.assertEqual(bf.mexists("f", "b", "none"), [1, 0])
        info = bf.info("f")
        self.assertEqual((info.capacity, info.filterNum, info.insertedNum, info.expansionRate), (1000, 1, 2, 2))
        self.assertIsNone(bf.info("h").expansionRate)
        self.assertEqual(self.client.execute_command("BF.DEBUG", "f")[0], b"size:2")

    @unittest.skipIf(hiredis is not None, "redis-py refuses to dump with hiredis")
    def test_bloom_dump(self):
        bf = self.client.bf()
        bf.insert("f", [f"key{i}" for i in range(1000)])
        chunks, position = [], 0
        while True:
            position, data = bf.scandump("f", position)
            if position == 0:
                break
            chunks.append((position, data))
        before = self.client.execute_command("BF.DEBUG", "f")
        self.client.flushall()
        for chunk in chunks:
            bf.loadchunk("f", *chunk)
        self.assertEqual(self.client.execute_command("BF.DEBUG", "f"), before)
        self.assertEqual(sum(bf.mexists("f", *(f"key{i}" for i in range(1000)))), 1000)

    def test_cuckoo(self):
        cf = self.client.cf()
        self.assertTrue(cf.create("f", 1000))
        self.assertTrue(cf.create("g", 1000, expansion=1))
        self.assertTrue(cf.create("h", 1000, bucket_size=4))
        self.assertTrue(cf.create("i", 1000, max_iterations=10))
        self.assertTrue(cf.add("f", "a"))
        self.assertFalse(cf.addnx("f", "a"))
        self.assertEqual(cf.insert("f", ["a", "b"]), [1, 1])
        self.assertEqual(cf.insertnx("f", ["a", "c"]), [0, 1])
        self.assertEqual(cf.count("f", "a"), 2)
        self.assertTrue(cf.exists("f", "c"))
        self.assertTrue(cf.delete("f", "c"))
        self.assertFalse(cf.exists("f", "c"))
        info = cf.info("f")
        self.assertEqual((info.insertedNum, info.deletedNum, info.filterNum, info.bucketSize), (3, 1, 1, 2))

    def test_pipelines(self):
        pipe = self.client.pipeline()
        for words in (("BF.ADD", "f", "a"), ("BF.ADD", "f", "b"), ("BF.EXISTS", "f", "a")):
            pipe.execute_command(*words)
        self.assertEqual(pipe.execute(), [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
