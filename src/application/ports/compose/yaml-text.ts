/** A scalar in a YAML text, with its position. */
export interface YamlScalar {
  /** Its value: without quotes, with its escapes resolved. */
  readonly text: string;
  /** Offsets of its source, in UTF-16 units; its tag and anchor precede it. */
  readonly start: number;
  readonly end: number;
  /** The name of an entry, and no value. */
  readonly isKey: boolean;
}

/** Why a program could not read a text. */
export interface TextFault {
  /** The first line is 1. */
  readonly line: number;
  readonly message: string;
}

/** Reads YAML 1.2, and so JSON, with positions. */
export interface YamlText {
  /**
   * All scalars of one document, in order. Throws `InvalidInput` at `path`, with the line, for invalid YAML or
   * constructs that parsers read differently: several documents, duplicate keys, aliases that grow without bound.
   */
  scalars(text: string, path: string): readonly YamlScalar[];
  /** The first fault of a text, which may have several documents. */
  faultOf(text: string): TextFault | null;
}
