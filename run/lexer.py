"""The tokens of a C or C++ source, each with its place, so that a rewriter may change some and leave the rest as it is.

Comments, strings, character literals, raw strings and what stands behind #if 0 make no tokens of code. The tokens of a
directive are a list of their own. A lone quote, as in the text of an #error, ends with its line.
"""

import bisect

NAME_START = frozenset('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$')
DIGITS = frozenset('0123456789')
NAME = NAME_START | DIGITS
PAIRS = ('::', '->', '##', '<=', '>=', '==', '!=', '...')
RAW = ('R', 'u8R', 'uR', 'UR', 'LR')
OPENING, CLOSING = {'(': ')', '[': ']', '{': '}'}, {')': '(', ']': '[', '}': '{'}


class Trouble(Exception):
    """what cannot be read, or not rewritten, and at which character of the text"""

    def __init__(self, at, why):
        super().__init__(why)
        self.at = at


class Token:
    """kind: name, number, string, character or mark"""
    __slots__ = ('kind', 'text', 'first', 'end')

    def __init__(self, kind, text, first):
        self.kind, self.text, self.first, self.end = kind, text, first, first + len(text)


class Source:
    """code: the tokens outside of directives; directives: of each the tokens behind its #"""

    def __init__(self, text):
        self.text, self.code, self.directives = text, [], []
        self.lines = [0] + [at + 1 for at, letter in enumerate(text) if letter == '\n']
        self.dead = []  # of each open #if: whether what follows is left out
        self.at = 0
        self.read()

    def line(self, at):
        return bisect.bisect_right(self.lines, at)

    # ---- Space

    def continues(self, at):
        """the length of a backslash that ends its line, with the end of the line; 0 elsewhere"""
        if self.text.startswith('\\\n', at):
            return 2
        return 3 if self.text.startswith('\\\r\n', at) else 0

    def line_end(self, at):
        """where the logical line ends"""
        while True:
            end = self.text.find('\n', at)
            if end < 0:
                return len(self.text)
            if not self.text.endswith(('\\', '\\\r'), max(0, end - 2), end):
                return end
            at = end + 1

    def comment(self):
        """the end of the comment that begins here, or None"""
        if self.text.startswith('//', self.at):
            return self.line_end(self.at)
        if not self.text.startswith('/*', self.at):
            return None
        end = self.text.find('*/', self.at + 2)
        if end < 0:
            raise Trouble(self.at, 'the comment has no end')
        return end + 2

    # ---- Tokens

    def literal(self, quote):
        """the end of a string or of a character literal, or None where its line ends first"""
        at = self.at + 1
        while at < len(self.text):
            letter = self.text[at]
            if letter == quote:
                return at + 1
            if letter == '\n':
                return None
            at += max(2, self.continues(at)) if letter == '\\' else 1
        return None

    def raw(self):
        """the end of the raw string whose quote is here"""
        bracket = self.text.find('(', self.at)
        closed = self.text.find(')' + self.text[self.at + 1:bracket] + '"', bracket)
        if bracket < 0 or closed < 0:
            raise Trouble(self.at, 'the raw string has no end')
        return closed + 1 + bracket - self.at

    def number(self):
        at = self.at + 1
        while at < len(self.text):
            letter = self.text[at]
            signed = letter in '+-' and self.text[at - 1] in 'eEpP'
            divided = letter == "'" and self.text[at + 1:at + 2].isalnum()
            if letter not in NAME and letter != '.' and not signed and not divided:
                break
            at += 1
        return at

    def token(self):
        letter = self.text[self.at]
        if letter in NAME_START:
            end = self.at + 1
            while end < len(self.text) and self.text[end] in NAME:
                end += 1
            return self.take('name', end)
        if letter in DIGITS or (letter == '.' and self.text[self.at + 1:self.at + 2] in DIGITS):
            return self.take('number', self.number())
        if letter in '"\'':
            end = self.literal(letter)
            return self.take({'"': 'string', "'": 'character'}[letter] if end else 'mark', end or self.at + 1)
        for pair in PAIRS:
            if self.text.startswith(pair, self.at):
                return self.take('mark', self.at + len(pair))
        return self.take('mark', self.at + 1)

    def take(self, kind, end):
        token = Token(kind, self.text[self.at:end], self.at)
        self.at = end
        return token

    def next(self, limit):
        """the next token before the limit, or None"""
        while self.at < limit:
            continued = self.continues(self.at)
            if continued or self.text[self.at] in ' \t\r\n\f\v\ufeff':
                self.at += continued or 1
                continue
            comment = self.comment()
            if comment:
                self.at = comment
                continue
            token = self.token()
            if token.text in RAW and self.text.startswith('"', self.at):
                self.at = token.first + len(token.text)
                return self.take('string', self.raw())
            return token
        return None

    # ---- Directives

    def read(self):
        last = 0  # where the token before ends
        while True:
            token = self.next(len(self.text))
            if token is None:
                return
            if token.text == '#' and self.begins_line(last, token.first):
                self.directive()
            elif not any(self.dead):
                self.code.append(token)
            last = self.at

    def begins_line(self, last, first):
        """whether only space and comments stand before this place in its line"""
        between = self.text[last:first]
        return last == 0 or '\n' in between.replace('\\\n', '').replace('\\\r\n', '')

    def directive(self):
        tokens = []
        limit = self.line_end(self.at)
        while True:
            token = self.next(limit)
            if token is None:
                break
            tokens.append(token)
            limit = max(limit, self.line_end(self.at))  # a comment, or a raw string, may go on
        words = [token.text for token in tokens]
        word = words[0] if words else ''
        if word in ('if', 'ifdef', 'ifndef'):
            self.dead.append(words == ['if', '0'])
        elif word in ('else', 'elif', 'elifdef', 'elifndef') and self.dead:
            self.dead[-1] = False
        elif word == 'endif' and self.dead:
            self.dead.pop()
        elif tokens and not any(self.dead):
            self.directives.append(tokens)


def partner(tokens, at, step=1):
    """the index of the bracket that closes the one at this index, or with step -1 opens it; None where there is none"""
    others = OPENING if step > 0 else CLOSING
    open_ones = []
    while 0 <= at < len(tokens):
        text = tokens[at].text if tokens[at].kind == 'mark' else ''
        if text in others:
            open_ones.append(others[text])
        elif text in (CLOSING if step > 0 else OPENING):
            if open_ones.pop() != text:
                return None
            if not open_ones:
                return at
        at += step
    return None
