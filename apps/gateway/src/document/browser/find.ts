/** An element of the page by its id. @throws Error where the page has none of that type */
export const find = <T extends HTMLElement>(id: string, type: new () => T): T => {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`The page has no ${id}`);
  return element;
};
