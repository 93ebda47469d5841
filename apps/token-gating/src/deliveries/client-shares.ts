/** How many deliveries of each client application are held here, so that none has them all. */
export class ClientShares {
  private readonly held = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** False when the client application has its share. */
  take(clientId: string): boolean {
    const held = this.held.get(clientId) ?? 0;
    if (held >= this.most) return false;
    this.held.set(clientId, held + 1);
    return true;
  }

  free(clientId: string): void {
    const left = (this.held.get(clientId) ?? 1) - 1;
    if (left === 0) this.held.delete(clientId);
    else this.held.set(clientId, left);
  }
}
