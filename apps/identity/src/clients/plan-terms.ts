/** A plan, and its limits where they are agreed upon: an enterprise plan has its own, the others have none. */
export type PlanTerms =
  | { plan: 'free' | 'paid'; perSecond: null; perMonth: null }
  | { plan: 'enterprise'; perSecond: number; perMonth: number };
