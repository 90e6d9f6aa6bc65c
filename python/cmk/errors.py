"""What goes wrong: wrong arguments are ValueError and TypeError, all else is one of these."""


class Error(RuntimeError):
    """a call failed: the message is what cmk says of it"""


class CompileError(Error):
    """a definition does not compile: the message is cmk's sentence, or the compiler's first; output is all it said"""

    def __init__(self, sentence, output):
        super().__init__(sentence)
        self.output = output
