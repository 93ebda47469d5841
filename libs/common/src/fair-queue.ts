/** Work that waits, in turn by tenant: who has waited longest among the tenants that were served least recently. */
export class FairQueue<T> {
  /** Work by tenant, in the order of the tenants' turns; each list is not empty. */
  private readonly byTenant = new Map<string, T[]>();

  countOf(tenantId: string): number {
    return this.byTenant.get(tenantId)?.length ?? 0;
  }

  add(tenantId: string, item: T): void {
    const waiting = this.byTenant.get(tenantId);
    if (waiting) waiting.push(item);
    else this.byTenant.set(tenantId, [item]);
  }

  /** Takes the next item of a tenant that may have a turn now; that tenant goes to the end of the order. */
  take(mayHaveTurn: (tenantId: string) => boolean = () => true): T | undefined {
    for (const [tenantId, waiting] of this.byTenant) {
      if (!mayHaveTurn(tenantId)) continue;
      this.byTenant.delete(tenantId);
      const item = waiting.shift();
      if (waiting.length > 0) this.byTenant.set(tenantId, waiting);
      return item;
    }
    return undefined;
  }

  /** Takes all items of a tenant. */
  takeAll(tenantId: string): readonly T[] {
    const waiting = this.byTenant.get(tenantId) ?? [];
    this.byTenant.delete(tenantId);
    return waiting;
  }
}
