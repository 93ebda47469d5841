/** Undefined for text that is not JSON. */
export function parsePlatformResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
