/** The parts of the document that the explorer reads. */
export interface ExploredDocument {
  paths: Record<string, Record<string, ExploredOperation>>;
  tags?: readonly { name: string; description: string }[];
  components: { responses: Record<string, ExploredResponse> };
  'x-tagGroups': readonly { name: string; description: string; tags: readonly string[] }[];
}

interface ExploredOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  responses: Record<string, ExploredResponse | { $ref: string }>;
}

interface ExploredResponse {
  description: string;
  headers?: object;
  content?: object;
}

/** Errors of all operations have the same body and headers: with these, an operation is 15 screens long. */
const isError = (status: string): boolean => Number(status) >= 400;

const shortenErrors = (
  { responses }: ExploredOperation,
  shared: ExploredDocument['components']['responses'],
): ExploredOperation['responses'] => {
  const resolve = (response: ExploredResponse | { $ref: string }): string =>
    '$ref' in response
      ? (shared[response.$ref.split('/').at(-1) ?? '']?.description ?? '')
      : response.description;
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      isError(status) ? { description: resolve(response) } : response,
    ]),
  );
};

/** The document as it is shown: with the names of groups as tags, which are names of controllers for clients, and short errors. */
export function toShownDocument(document: ExploredDocument): ExploredDocument {
  const groups = document['x-tagGroups'];
  const nameOf = new Map(groups.flatMap(({ name, tags }) => tags.map((tag) => [tag, name])));
  const rename = (operation: ExploredOperation): ExploredOperation => ({
    ...operation,
    tags: operation.tags.map((tag) => nameOf.get(tag) ?? tag),
    responses: shortenErrors(operation, document.components.responses),
  });
  const convert = (methods: Record<string, ExploredOperation>) =>
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, rename(operation)]));
  const paths = Object.entries(document.paths).map(([path, methods]) => [path, convert(methods)]);
  return {
    ...document,
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths) as ExploredDocument['paths'],
  };
}

/** The group of a name, or of a tag of the document. */
export const findGroup = (document: ExploredDocument, name: string): string | undefined =>
  document['x-tagGroups'].find((group) => group.name === name || group.tags.includes(name))?.name;

/** A place of the document: Swagger UI changes the ids of operations that it has opened. */
interface Place {
  method: string;
  path: string;
}

const toKey = ({ method, path }: Place): string => `${method} ${path}`;

/** Finds operations by words. */
export class OperationSearch {
  /** The text of each operation, in lower case, and its groups. */
  private readonly operations = new Map<string, { text: string; groups: readonly string[] }>();

  /** @param document with the names of groups as tags */
  constructor(document: ExploredDocument) {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId, summary, description, tags }] of Object.entries(methods)) {
        const key = toKey({ method, path });
        const text = [key, operationId, summary, description, ...tags].join('\n').toLowerCase();
        this.operations.set(key, { text, groups: tags });
      }
  }

  /** Whether the operation has all words of the text, in any order. */
  matches(place: Place, text: string): boolean {
    return hasWords(this.operations.get(toKey(place))?.text ?? '', text);
  }

  /** The number of operations that match in each group that has some. */
  countByGroup(wanted: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { text, groups } of this.operations.values())
      if (hasWords(text, wanted)) for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
    return counts;
  }
}

const hasWords = (text: string, wanted: string): boolean =>
  wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
