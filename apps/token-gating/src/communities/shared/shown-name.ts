import { shownText } from '@app/dto';

/** What a community or one of its roles is called. */
export const shownName = shownText(100).regex(/^(?!\s)(?!.*\s$)/su, 'must not begin or end with a space');
