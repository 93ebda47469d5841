/** The request must be made at the login host. PageFilter redirects to it. */
export class LoginHostRequiredError extends Error {
  override readonly name = 'LoginHostRequiredError';

  constructor(
    /** The same page at the login host. */
    readonly url: string,
  ) {
    super('The request must be made at the login host');
  }
}

/** The user must sign in, or sign in again. PageFilter redirects to the login page and back. */
export class SignInRequiredError extends Error {
  override readonly name = 'SignInRequiredError';

  constructor(
    /** The page to return to after the login. */
    readonly returnPath: string,
    /** The user is signed in, but the page requires a more recent login, or one with a wallet. */
    readonly requiresNewLogin = false,
  ) {
    super('The user must sign in first');
  }
}

/** The session had ended before its user signed out. PageFilter redirects to the page after a logout. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError';

  constructor(
    /** The page to return to after a login, if the form names one. */
    readonly returnPath: string | undefined,
  ) {
    super('The session has ended already');
  }
}
