import { Eta } from 'eta';

/** `<%= %>` escapes its output. Templates must use `<%~ %>` for other templates only, which templates.spec.ts checks. */
const eta = new Eta({ views: import.meta.dirname, cache: true, autoTrim: false });

export const renderTemplate = (name: string, data: object): string => eta.render(`./${name}`, data);
