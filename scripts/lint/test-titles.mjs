/** @import { Rule } from 'eslint' */
/** @import { Expression, PrivateIdentifier, SpreadElement, Super } from 'estree' */

const TESTS = new Set(['it', 'test']);
/** Numbers of docs/faults.md, which come before the subject of a title. */
const FAULTS = String.raw`T\d{2,3}[a-z]?(?:, T\d{2,3}[a-z]?)*`;
const TITLE = new RegExp(`^(?:${FAULTS}: )?(?!${FAULTS}: )[^:]+: \\S`, 'u');

/**
 * Refuses titles of tests without a subject: a title is `<operation, class or command>: <what is expected>`, a whole
 * statement that can be searched and needs no `describe` around it.
 *
 * @type {Rule.RuleModule}
 */
export const testTitles = {
  meta: {
    type: 'suggestion',
    messages: {
      unnamed:
        'A title is "<operation, class or command>: <what is expected>", behind the numbers of faults if it has some.',
    },
    schema: [],
  },
  create: (context) => ({
    CallExpression(node) {
      const [title] = node.arguments;
      if (!title || node.arguments.length < 2 || !TESTS.has(findName(node.callee) ?? '')) return;
      const text = readText(title);
      if (text !== undefined && !TITLE.test(text)) context.report({ node: title, messageId: 'unnamed' });
    },
  }),
};

/**
 * The function whose call declares a test: `it` of `it.each(table)(title, test)`.
 *
 * @param {Expression | PrivateIdentifier | Super} callee
 * @returns {string | undefined}
 */
function findName(callee) {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return findName(callee.object);
  if (callee.type === 'CallExpression') return findName(callee.callee);
  return callee.type === 'TaggedTemplateExpression' ? findName(callee.tag) : undefined;
}

/** @param {Expression | SpreadElement} node @returns {string | undefined} undefined where the title is computed */
function readText(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw).join('…') : undefined;
}
