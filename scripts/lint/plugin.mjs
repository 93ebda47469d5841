import { commentSubjects } from './comment-subjects.mjs';
import { testTitles } from './test-titles.mjs';

/** The rules of this repository that no published plugin has. oxlint loads them (.oxlintrc.json). */
export default {
  meta: { name: 'gatehouse' },
  rules: { 'comment-subjects': commentSubjects, 'test-titles': testTitles },
};
