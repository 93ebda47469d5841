/** The browser came to a host that is not the one where people log in. The page filter sends it there. */
export class LoginHostRequiredError extends Error {
  override readonly name = 'LoginHostRequiredError';

  constructor(
    /** Where the browser goes. */
    readonly url: string,
  ) {
    super('Users log in at another host');
  }
}

/** Nobody is signed in, or not recently enough. The page filter turns it into a way to the login page and back. */
export class SignInRequiredError extends Error {
  override readonly name = 'SignInRequiredError';

  constructor(
    /** Where the browser wanted to go. */
    readonly path: string,
    /** Somebody is signed in; what they want to do asks for it once more. */
    readonly again = false,
  ) {
    super('Somebody has to sign in first');
  }
}
