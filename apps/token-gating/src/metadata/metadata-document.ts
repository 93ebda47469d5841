import { createMetadataFailure, type MetadataFailure } from './metadata-failure.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Nested arrays and objects of a document. Recursive code handles this depth. */
const MAX_DEPTH = 64;

/** A JSON object as text, whose size is known, unlike that of the parsed object. */
export class MetadataDocument {
  readonly ok = true;

  private constructor(readonly text: string) {}

  /** @returns a permanent failure when the text is not JSON, too deep, or no object */
  static parse(text: string): MetadataDocument | MetadataFailure {
    // Without depth there is nothing that JSON.parse, JSON.stringify or a copy could recurse into.
    if (getDepth(text) > MAX_DEPTH) return reject(`is nested deeper than ${MAX_DEPTH} levels`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return reject(/^\s*</.test(text) ? 'is an HTML or XML page, not JSON' : 'is not JSON');
    }
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new MetadataDocument(text) : reject('is not a JSON object');
  }

  /** Parses anew at each call, so that the cache holds texts only. */
  toJson(): JsonObject {
    return JSON.parse(this.text) as JsonObject;
  }
}

const reject = (problem: string): MetadataFailure => createMetadataFailure('metadata_malformed', problem);

/** The depth of brackets outside of strings. Exact for JSON; invalid texts are rejected later. */
function getDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) at = findStringEnd(text, at);
    else if (character === 0x5b || character === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
  return deepest;
}

/** @param start the position of the opening quotation mark */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) return at;
  }
  return text.length;
}

export type MetadataResult = MetadataDocument | MetadataFailure;
