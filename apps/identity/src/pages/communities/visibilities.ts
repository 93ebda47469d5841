import type { Visibility } from './community-api.js';

/** Who can see and join a community, in words. */
export const VISIBILITIES: Readonly<Record<Visibility, { text: string; explanation: string }>> = {
  members: {
    text: 'People with an invitation',
    explanation: 'Members can see it. New members need your invitation link to join.',
  },
  public: {
    text: 'Everyone',
    explanation: 'Anyone can see it and join without an invitation.',
  },
  hidden: {
    text: 'Only those who run it',
    explanation:
      'Members cannot see it, and nobody can join by themselves: applications that you attach add the members.',
  },
};

export const VISIBILITY_CHOICES = (Object.keys(VISIBILITIES) as Visibility[]).map((value) => ({
  value,
  ...VISIBILITIES[value],
}));
