import { analyticsReportName, analyticsReportPeriod, queryText } from '@app/dto';
import { z } from 'zod';
import { oneTimeForm } from '../portal/application-form.js';

export const communityParams = z.object({ communityId: z.string().min(1).max(128) });
export type CommunityParams = z.output<typeof communityParams>;

export const reportParams = communityParams.extend({ report: analyticsReportName });
export type ReportParams = z.output<typeof reportParams>;

export const reportQuery = analyticsReportPeriod;
export type ReportQuery = z.output<typeof reportQuery>;

/** Forms submit empty fields, too. */
const optionalText = queryText
  .max(64)
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** The fields of the form on the page of a community. `from` and `to` are days of the time zone, both included. */
export const periodQuery = z.object({
  range: optionalText,
  interval: optionalText,
  timeZone: optionalText,
  from: optionalText,
  to: optionalText,
});
export type PeriodQuery = z.output<typeof periodQuery>;

/** A field of a form, whose spaces around the text nobody means. An empty field is absent. */
const textField = z.string().trim().default('');

/** The operation decides what a name and a visibility may be. */
export const communityForm = z.object({ name: textField, visibility: textField });
export type CommunityForm = z.output<typeof communityForm>;

export const newCommunityForm = oneTimeForm.extend(communityForm.shape);
export type NewCommunityForm = z.output<typeof newCommunityForm>;

export const roleParams = communityParams.extend({ roleId: z.string().min(1).max(64) });
export type RoleParams = z.output<typeof roleParams>;

/** A field for colors has always one: `colorless` is a box beside it. */
export const roleForm = z.object({
  name: textField,
  color: textField.transform((text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : '')),
  colorless: z.string().optional(),
});
export type RoleForm = z.output<typeof roleForm>;

export const newRoleForm = oneTimeForm.extend(roleForm.shape);
export type NewRoleForm = z.output<typeof newRoleForm>;

export const memberParams = communityParams.extend({ userId: z.string().min(1).max(256) });
export type MemberParams = z.output<typeof memberParams>;

/** The search and the page of a list of members, which begins after a member by the time of joining and the id. */
export const membersQuery = z
  .object({
    text: queryText.trim().max(256).optional(),
    joined: queryText.max(64).optional(),
    id: queryText.max(128).optional(),
  })
  .transform(({ text, joined, id }) => ({
    text: text === '' ? undefined : text,
    after: joined !== undefined && id !== undefined ? ([joined, id] satisfies [string, string]) : undefined,
  }));
export type MembersQuery = z.output<typeof membersQuery>;

export const administratorForm = z.object({ person: textField });
export type AdministratorForm = z.output<typeof administratorForm>;

export const deletionForm = z.object({ confirmation: textField });
export type DeletionForm = z.output<typeof deletionForm>;

export const attachedClientParams = communityParams.extend({ clientId: z.string().min(1).max(128) });
export type AttachedClientParams = z.output<typeof attachedClientParams>;

/** Public communities are joined without a code. */
export const invitationParams = communityParams.extend({ code: z.string().min(1).max(128).optional() });
export type InvitationParams = z.output<typeof invitationParams>;

export const attachmentForm = z.object({ clientId: textField, callbackUrl: textField });
export type AttachmentForm = z.output<typeof attachmentForm>;

export const offerForm = z.object({ newOwnerId: textField });
export type OfferForm = z.output<typeof offerForm>;

/** The revision of the rules that the page of an offer has shown. A form without it is one of none. */
export const acceptedOfferForm = z.looseObject({ revision: z.coerce.number().int().catch(-1) });
export type AcceptedOfferForm = z.output<typeof acceptedOfferForm>;
