/** @import { Rule, SourceCode } from 'eslint' */
/** @typedef {ReturnType<SourceCode['getAllComments']>[number]} Comment */

/** Words with which a comment points at something that it does not name. */
const POINTERS = ['of', 'to', 'by', 'in', 'those', 'neither', 'its', 'one', 'also', 'like', 'whatever'];

const BEGINNING = new RegExp(`^[\\s/*]*(${POINTERS.join('|')})\\b`, 'iu');

/**
 * Refuses comments that begin with a preposition or a pronoun: a reader who does not know the code yet cannot tell what
 * they speak of. Line comments below each other are one comment.
 *
 * @type {Rule.RuleModule}
 */
export const commentSubjects = {
  meta: {
    type: 'suggestion',
    messages: { unnamed: 'A comment names its subject first; it does not begin with "{{word}}".' },
    schema: [],
  },
  create(context) {
    const { sourceCode } = context;
    return {
      Program() {
        const comments = sourceCode.getAllComments();
        for (const [index, comment] of comments.entries()) {
          const word = BEGINNING.exec(comment.value)?.[1];
          if (word === undefined || !comment.loc || continues(sourceCode, comments[index - 1], comment))
            continue;
          context.report({ loc: comment.loc, messageId: 'unnamed', data: { word } });
        }
      },
    };
  },
};

/** @param {SourceCode} sourceCode @param {Comment | undefined} previous @param {Comment} comment */
function continues(sourceCode, previous, comment) {
  const [above, line] = [findOwnLine(sourceCode, previous), findOwnLine(sourceCode, comment)];
  return above !== undefined && line === above + 1;
}

/**
 * The line of a line comment before which no code stands.
 *
 * @param {SourceCode} sourceCode @param {Comment | undefined} comment
 */
function findOwnLine({ lines }, comment) {
  if (comment?.type !== 'Line' || !comment.loc) return undefined;
  const { line, column } = comment.loc.start;
  return lines[line - 1]?.slice(0, column).trim() === '' ? line : undefined;
}
