/** Who is signed in in a browser, and since when. */
export interface SignedIn {
  userId: string;
  /** The wallet, CAIP-10. */
  account: string;
  signedInAt: Date;
  /** The authorization request that asked for the login; null when none did. */
  signedInFor: string | null;
}
