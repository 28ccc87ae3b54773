/** Where in a file something stands; lines and columns count from 1. */
export interface Spot {
  readonly line: number;
  readonly column: number;
}

/** A key, or a place in a list, on the way to a value. */
export type PathPart = string | number;
