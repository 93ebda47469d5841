import { commentSubjects } from './comment-subjects.mjs';

/** The rules of this repository that no published plugin has. oxlint loads them (.oxlintrc.json). */
export default {
  meta: { name: 'gatehouse' },
  rules: { 'comment-subjects': commentSubjects },
};
