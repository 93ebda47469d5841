import { pageQuery, queryBoolean } from '@app/dto';
import { z } from 'zod';

export const administratedCommunitiesQuery = z.object({
  reload: queryBoolean.optional().meta({ description: 'Count the members of those on the page again' }),
  ...pageQuery.shape,
});
export type AdministratedCommunitiesQuery = z.output<typeof administratedCommunitiesQuery>;
