import { AppError } from '@app/common';

/** Waits for the end of something, which a second click finds gone already. @param codes of the errors that say so */
export async function endOnce(ending: Promise<void>, ...codes: readonly string[]): Promise<void> {
  try {
    await ending;
  } catch (error) {
    const isGone = error instanceof AppError && codes.some((code) => code === error.details['code']);
    if (!isGone) throw error;
  }
}
