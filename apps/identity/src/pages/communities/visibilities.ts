import type { Visibility } from './community-api.js';

/** Who can see and join a community, in words. */
export const VISIBILITIES: Readonly<
  Record<Visibility, { text: string; explanation: string; afterRemoval: string }>
> = {
  members: {
    text: 'People with an invitation',
    explanation: 'Members can see it. New members need your invitation link to join.',
    afterRemoval:
      'Links that they may have do not let them in again: to return, they need a new invitation link.',
  },
  public: {
    text: 'Everyone',
    explanation: 'Anyone can see it and join without an invitation.',
    afterRemoval: 'Everyone can join this community, so they can join again.',
  },
  hidden: {
    text: 'Only those who run it',
    explanation:
      'Members cannot see it, and nobody can join by themselves: applications that you attach add the members.',
    afterRemoval:
      'They cannot join again by themselves, but applications that you attach can add them again.',
  },
};

export const VISIBILITY_CHOICES = (Object.keys(VISIBILITIES) as Visibility[]).map((value) => ({
  value,
  ...VISIBILITIES[value],
}));
