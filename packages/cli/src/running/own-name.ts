/** How an operator types the program: an installed package has compiled files and a command, a checkout of the source does not. */
export const ownName = import.meta.url.endsWith('.ts') ? 'npm run -s morsel --' : 'morsel';

export const demoName = import.meta.url.endsWith('.ts') ? 'npm start' : 'morsel demo';
