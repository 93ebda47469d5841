/** The browser came to a host that is not the one where people log in. The page filter sends it there. */
export class OtherHost extends Error {
  override readonly name = 'OtherHost';

  constructor(
    /** Where the browser goes. */
    readonly url: string,
  ) {
    super('Users log in at another host');
  }
}
