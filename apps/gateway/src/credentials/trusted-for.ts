/** From here on identity counts as gone. */
const SILENCE_MS = 30_000;
/** While identity is gone, what it said goes on to count for this long. */
const GOES_ON_FOR_MS = 10 * 60_000;

/** How long what identity said counts when it says nothing more. */
export const TRUSTED_FOR_MS = SILENCE_MS + GOES_ON_FOR_MS;
