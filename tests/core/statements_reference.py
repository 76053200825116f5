# Prints the statements that go over several lines, as Python's own tokenizer has them: a line for
# each, with the file's number, its first line and its last.
import sys
import tokenize

BLANK = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)

for number, path in enumerate(sys.argv[1:]):
    first = None
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in BLANK:
                continue
            first = first or token.start[0]
            if token.type == tokenize.NEWLINE:
                if token.start[0] > first:
                    print(number, first, token.start[0])
                first = None
