import react from '@vitejs/plugin-react';
import { parseSync, Visitor, type ESTree } from 'rolldown/utils';
import { defineConfig, type Plugin } from 'vite';

/** The gateway that `npm run dev` shows. */
const gateway = 'http://localhost:8081';

/** Members of declarations that only the command line, its help and OpenAPI use: of a field, and of a command. */
const ofFields = new Set(['example', 'placeholder']);
const ofCommands = new Set(['examples', 'notes', 'says', 'splits', 'stopsEarly']);

/** Leaves them out of the pages: they are a tenth of what a browser loads first. */
const shortDeclarations: Plugin = {
  name: 'short-declarations',
  apply: 'build',
  transform: {
    filter: { id: /packages\/api\/src\// },
    handler(code, id) {
      const members: { readonly start: number; readonly end: number }[] = [];
      const find = new Visitor({
        ObjectExpression({ properties }) {
          for (const each of properties) {
            if (each.type !== 'Property' || each.key.type !== 'Identifier') continue;
            if (ofFields.has(each.key.name)) members.push(each);
            if (each.key.name !== 'command' || each.value.type !== 'ObjectExpression') continue;
            members.push(...each.value.properties.filter((member) => isOfCommand(member)));
          }
        },
      });
      find.visit(parseSync(id, code).program);
      let [short, from] = ['', 0];
      for (const { start, end } of members.toSorted((one, other) => one.start - other.start)) {
        // A member inside of one that is left out.
        if (start < from) continue;
        short += code.slice(from, start);
        from = code[end] === ',' ? end + 1 : end;
      }
      return { code: short + code.slice(from), map: null };
    },
  },
};

function isOfCommand(member: ESTree.ObjectPropertyKind): boolean {
  return member.type === 'Property' && member.key.type === 'Identifier' && ofCommands.has(member.key.name);
}

export default defineConfig({
  plugins: [react(), shortDeclarations],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy for content allows no data in addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/admin': gateway, '/console': gateway } },
});
