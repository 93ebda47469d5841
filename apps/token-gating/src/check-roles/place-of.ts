/** Where the rule of an index stands in the body of the request, dotted. */
export type PlaceOf = (index: number) => string;

/** Where rules are a plain list. */
export const inOneList: PlaceOf = (index) => `rules.${index}`;
