import { z } from 'zod';
import { displayText } from './display-text.js';
import { roleId } from './rules/role-rules.js';
import { userPlatform } from './internal/platform-users.js';

/** The name of a community or of a role. */
export const displayName = displayText(100).regex(/^(?!\s)(?!.*\s$)/su, 'must not begin or end with a space');

export const visibility = z.enum(['public', 'members', 'hidden']);

const imageUrl = z
  .url({ protocol: /^https$/, error: 'must be an https URL' })
  .max(2_048)
  .refine((text) => !/[\\"'<>\s]/.test(text), 'must be percent-encoded');

const fields = {
  name: displayName,
  visibility: visibility.meta({
    description:
      'Visible to everyone, to members, or only to administrators and attached client applications',
  }),
  iconURL: imageUrl,
  serverImage: imageUrl,
  network: displayText(64),
};

export const newCommunity = z
  .strictObject({
    name: fields.name,
    platform: userPlatform
      .default('ethereum')
      .meta({ description: 'The platform of the community; cannot be changed later' }),
    visibility: fields.visibility.default('members'),
    iconURL: fields.iconURL.optional(),
    serverImage: fields.serverImage.optional(),
    network: fields.network.optional(),
  })
  .meta({ id: 'NewCommunity', example: { name: 'Book club', visibility: 'public' } });
export type NewCommunity = z.output<typeof newCommunity>;

const toNullableField = <S extends z.ZodType>(field: S) =>
  field.nullable().optional().meta({ description: 'null removes it' });

export const communityChange = z
  .strictObject({
    name: fields.name.optional(),
    visibility: fields.visibility.optional(),
    iconURL: toNullableField(fields.iconURL),
    serverImage: toNullableField(fields.serverImage),
    network: toNullableField(fields.network),
  })
  .meta({
    id: 'CommunityChange',
    description: 'Omitted fields stay unchanged.',
    example: { network: 'local' },
  });
export type CommunityChange = z.output<typeof communityChange>;

export const roleColor = z.int().min(0).max(0xff_ff_ff).meta({ description: 'RGB with 8 bits per channel' });

export const newCommunityRole = z
  .strictObject({
    id: roleId.optional().meta({ description: 'Generated when omitted' }),
    name: displayName,
    color: roleColor.optional(),
  })
  .meta({ id: 'NewCommunityRole', example: { name: 'Reader', color: 0x16_a3_4a } });
export type NewCommunityRole = z.output<typeof newCommunityRole>;
