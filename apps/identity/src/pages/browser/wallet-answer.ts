import type { WaitTexts, Wallet } from './wallet.js';

/** Nobody waits any more for an answer of the wallet: the user chose so, or it did not come in time. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';

  constructor(
    message: string,
    /** Whether the user chose to wait no longer. */
    readonly isChosen: boolean,
  ) {
    super(message);
  }
}

const HINT_AFTER_MS = 10_000;
/** Signing may take a person a while: a hardware wallet is looked for, connected and unlocked. */
const ANSWER_TIMEOUT_MS = 180_000;

const describeWait = (name: string): WaitTexts => ({
  slow: `${name} has not answered yet. Open it and look for a request there, or choose another wallet.`,
  timedOut: `${name} did not answer within ${String(ANSWER_TIMEOUT_MS / 60_000)} minutes. Open it, close what it shows and try again, or choose another wallet.`,
});

interface WalletWait {
  /** Shows or hides what ends the wait. */
  setWaiting: (isWaiting: boolean) => void;
  /** Called with a sentence when the wallet has not answered for a while. */
  onSlow: (text: string) => void;
}

/**
 * Waits for a wallet no longer than its user does. An answer that comes later is ignored: nothing is sent for it.
 */
export class WalletAnswers {
  private abandon: ((error: AbandonedError) => void) | undefined;

  constructor(private readonly wait: WalletWait) {}

  /** The same wallet, whose answers are waited for until `stop`. */
  guard(wallet: Wallet): Wallet {
    return {
      ...wallet,
      get name() {
        return wallet.name;
      },
      connect: (wanted) =>
        this.waitFor(wallet.connectTexts ?? describeWait(wallet.name), wallet.connect(wanted)),
      sign: (message) => this.waitFor(describeWait(wallet.name), wallet.sign(message)),
    };
  }

  /** Ends the wait. */
  stop(): void {
    this.abandon?.(
      new AbandonedError('You stopped waiting. Nothing was signed here. Choose a wallet.', true),
    );
  }

  private async waitFor<T>({ slow, timedOut }: WaitTexts, answer: Promise<T>): Promise<T> {
    const abandoned = new Promise<never>((_, reject) => {
      this.abandon = reject;
    });
    const hint = setTimeout(() => {
      this.wait.onSlow(slow);
    }, HINT_AFTER_MS);
    const timeout = setTimeout(() => {
      this.abandon?.(new AbandonedError(timedOut, false));
    }, ANSWER_TIMEOUT_MS);
    this.wait.setWaiting(true);
    try {
      return await Promise.race([answer, abandoned]);
    } finally {
      clearTimeout(hint);
      clearTimeout(timeout);
      this.abandon = undefined;
      this.wait.setWaiting(false);
    }
  }
}
