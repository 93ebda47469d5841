import { z } from 'zod';
import { newPublishableId } from '../../applications/publishable-ids/publishable-id.dto.js';
import type { PublishableId } from '../../applications/publishable-ids/publishable-ids.queries.js';
import { formatDay } from '../views/format-values.js';
import { describeLineProblems, type FormFields, lines, oneTimeForm } from './application-form.js';

/** The field with the origins, which has a name of its own beside the origins of the application's settings. */
export const ORIGINS_FIELD = 'pageOrigins';

export const publishableIdForm = oneTimeForm.catchall(z.string());
export type PublishableIdForm = z.output<typeof publishableIdForm>;

const publishableIdFields = z.object({
  [ORIGINS_FIELD]: lines.default([]).pipe(newPublishableId.shape.origins),
});

/** The text of the form for a new publishable id, with validation errors by field. */
export interface PublishableIdFormView {
  readonly origins: string;
  readonly problems: Record<string, string>;
}

export const EMPTY_PUBLISHABLE_ID_FORM: PublishableIdFormView = { origins: '', problems: {} };

/** A submitted form with its validation errors. */
export const toPublishableIdFormView = (
  fields: FormFields,
  problems: Record<string, string>,
): PublishableIdFormView => ({ origins: fields[ORIGINS_FIELD] ?? '', problems });

type PublishableIdFormResult =
  | { readonly ok: true; readonly origins: string[] }
  /** Validation errors by field. */
  | { readonly ok: false; readonly problems: Record<string, string> };

/** @param fields of the form; empty ones are absent */
export function parsePublishableIdForm(fields: FormFields): PublishableIdFormResult {
  const parsed = publishableIdFields.safeParse(fields);
  if (!parsed.success) return { ok: false, problems: describeLineProblems(parsed.error) };
  return { ok: true, origins: parsed.data[ORIGINS_FIELD] };
}

export interface PublishableIdView {
  readonly id: string;
  /** The name that its owner gave it by the API, or its first origin. */
  readonly title: string;
  readonly text: string;
  /** The first and last characters of the text. */
  readonly preview: string;
  readonly origins: readonly string[];
  readonly created: string;
}

export const toPublishableIdView = (stored: PublishableId): PublishableIdView => ({
  id: stored.id,
  title: stored.name ?? stored.origins[0] ?? stored.id,
  text: stored.publishableId,
  preview: `${stored.publishableId.slice(0, 20)}…${stored.publishableId.slice(-4)}`,
  origins: stored.origins,
  created: formatDay(stored.createdAt),
});
