import { Eta } from 'eta';

/** Whatever a template writes with `<%= %>` is escaped. `<%~ %>` is for other templates alone: a test sees to it. */
const eta = new Eta({ views: import.meta.dirname, cache: true, autoTrim: false });

export const renderTemplate = (name: string, data: object): string => eta.render(`./${name}`, data);
