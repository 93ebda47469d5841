import type { EntityManager } from 'typeorm';

/** New credentials of an application. */
export interface IssuedSecrets {
  readonly clientId: string;
  readonly clientSecret?: string | null;
  readonly apiKey?: string;
  /** The endpoint whose signing secret it is, and the secret (`whsec_…`). */
  readonly endpoint?: { readonly id: string; readonly secret: string };
}

/** A form whose write happens once. Both methods belong into the transaction of the write. */
export interface FormSubmission {
  /** Waits for a concurrent submission of the same form. @throws FormRepeatedError if its write was committed */
  claim(manager: EntityManager): Promise<void>;
  /** Keeps what the write issued for the next page. */
  keep(manager: EntityManager, secrets: IssuedSecrets): Promise<void>;
}

/** The same form was submitted before, and its write is done. */
export class FormRepeatedError extends Error {
  override readonly name = 'FormRepeatedError';

  constructor() {
    super('The form was submitted before');
  }
}
