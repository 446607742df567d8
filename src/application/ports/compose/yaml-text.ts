/** A value of a YAML text that is a scalar, and where it stands. */
export interface YamlScalar {
  /** What it means: without quotes, with its escapes resolved. */
  readonly text: string;
  /** Offsets of how it is written, in UTF-16 units; its tag and anchor stand before. */
  readonly start: number;
  readonly end: number;
  /** The name of an entry, and no value. */
  readonly isKey: boolean;
}

/** Reads YAML 1.2, and so JSON, without losing where things stand. */
export interface YamlText {
  /**
   * All scalars of one document, as they come. Throws `InvalidInput` at `path`, with the line, for what is no YAML or
   * what differs between readers of it: several documents, the same key twice, aliases that grow without bound.
   */
  scalars(text: string, path: string): readonly YamlScalar[];
}
