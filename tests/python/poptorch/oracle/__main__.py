"""Many cases: /usr/bin/python3 tests/python/poptorch/oracle COUNT [SEED] [ROW...]"""
import sys
import time

from campaign import run

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    sys.exit(1 if run(count, seed, only=sys.argv[3:] or None) else 0)
