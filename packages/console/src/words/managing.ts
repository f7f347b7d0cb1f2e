/* The words about managing: carriers, accounts, prices, routes, records and settings. */

export const managing = {
  health: {
    title: 'Carriers that are not well',
    bound: 'bound',
    some: (bound: number, all: number) => `${bound} of ${all} links bound`,
    down: (time: string, age: string) => `down since ${time} (${age})`,
    unknown: 'no link runs yet',
    notKnown: 'unknown',
    link: (number: number) => `Link ${number}`,
    status: { active: 'active', paused: 'paused', drained: 'drained', removed: 'removed' },
  },
  carrier: {
    links: 'Links',
    noLinks: 'No link runs: the carrier is drained, or this gateway has none of its links.',
    pauseWarns: (waiting: number) =>
      `Nothing more is sent through this carrier. ${waiting} parts wait for it. Its links stay bound for receipts.`,
    drainWarns: (waiting: number) =>
      `The links unbind after their answers, until you resume. ${waiting} parts wait for this carrier.`,
    rebindWarns: (links: number) => `All ${links} links unbind and bind again, one after the other. Nothing is lost.`,
    history: 'History',
    noHistory: 'This carrier had no traffic in the last days.',
    withoutCost: (parts: number) => `${parts} ${parts === 1 ? 'part' : 'parts'}, no cost list: choose one.`,
    chooseCostList: 'Choose a cost list',
    accepted: 'accepted',
    delivered: 'delivered',
    refused: 'refused',
    failed: 'not delivered',
  },
  account: {
    statement: 'Statement',
    opening: 'Balance before:',
    closing: 'and after:',
    noEntries: 'There are no entries in this period.',
    replay: 'Replay dead letters',
  },
  prices: {
    about: 'What a part costs, by the first digits of the receiver.',
    title: (name: string) => `Price list ${name}`,
    empty: 'No price lists yet. Import prices: each line has a prefix and a price, such as 41,0.0075.',
    tester: 'What does a number cost?',
    number: 'Number',
    noPrice: 'This list has no price for the number: messages to it are refused.',
    by: (prefix: string, list: string, version: number) =>
      `by prefix ${prefix === '' ? '*' : prefix} of list ${list}, version ${version}`,
    versions: 'Versions',
    bases: 'Bases',
  },
  import: {
    leftOut: (rows: number, first: string, why: string) => `Left out: ${rows} rows from ${first} on, because ${why}.`,
    counts: (from: number, counts: Readonly<Record<'new' | 'up' | 'down' | 'removed' | 'unchanged', number>>) =>
      `Against version ${from}: ${counts.new} new, ${counts.up} dearer, ${counts.down} cheaper, ${counts.removed} removed, ${counts.unchanged} unchanged.`,
    prefix: 'Prefix',
    more: (count: number) => `… and ${count} more`,
  },
  routes: {
    about: 'The longest prefix that fits the receiver decides; then sender, account and encoding.',
    empty: 'No routes yet: every message is refused.',
    removeWarns: (prefix: string, carrier: string) =>
      `Messages to ${prefix === '' ? 'every number' : `+${prefix}`} no longer go through ${carrier}. Waiting messages stay in the queue.`,
    rerouteWarns: 'Waiting messages move to the current routes. First you see how many.',
    explain: 'Explain a route',
    message: 'Message',
    parts: (count: number) => `${count} ${count === 1 ? 'part' : 'parts'}`,
    considered: 'Routes that fit',
    none: 'No route fits: the message would be refused.',
    every: 'every number',
    rank: (rank: number, weight: number) => `rank ${rank}, weight ${weight}`,
    cost: 'cost',
    margin: 'margin',
  },
  changeSets: {
    label: 'Change sets',
    title: (name: string) => `Change set ${name}`,
    about: ({ state, createdBy, appliedBy }: { state: string; createdBy: string; appliedBy: string | null }) =>
      state === 'draft' ? `a draft of ${createdBy}; nothing is changed yet` : `applied by ${appliedBy ?? createdBy}`,
    empty: 'No change sets yet. Press “Try a change” at a route to see the effect of a change before you make it.',
    tryChange: 'Try a change',
    tryAbout: 'Nothing changes yet: you see the effect on the messages of the last hour first.',
    seeEffect: 'See the effect',
    differences: 'Differences',
    replay: 'Replay the last hour',
    replaying: 'Replaying…',
    replayed: ({ accepted, messages, changed }: { accepted: number; messages: number; changed: number }) =>
      `${changed} of ${messages} messages would go another way or cost something else. ${
        messages === accepted
          ? 'All messages of the last hour were replayed.'
          : `An even sample of the ${accepted} messages of the last hour was replayed.`
      }`,
  },
  records: {
    checks: 'Checks',
    check: 'Check',
    ledger: 'Ledger',
    cdr: 'CDRs',
    audit: 'Audit log',
  },
  settings: {
    own: 'Your sign-in',
    password: 'Password',
    passwordAbout: 'A new password ends all your sessions.',
    keys: 'Single keys',
    keysAbout: '/ searches, J and K move from row to row, and Enter opens a row. Ctrl K searches in any case.',
    keysOn: 'Turn single keys on',
    keysOff: 'Turn single keys off',
    codes: 'One-time codes',
    codesAbout: 'Ask for a code of your authenticator app at each sign-in.',
    codesOn: 'Turn codes on',
    codePicture: 'QR code of the secret',
    codeSecret: 'Secret for the app',
    codeLink: 'Open it in an authenticator app',
    thisSession: 'this one',
    link: 'Link',
    linkAbout: 'Give this link to the operator. It works once, within 15 minutes, and sets a password.',
    alarms: 'Alarms',
    config: 'Settings as a file',
    configAbout:
      'The whole configuration as one document. Change it, see what would change, and apply it in one commit.',
    document: 'Document',
    download: 'Download',
    prune: 'Remove what is missing',
    plan: 'Show what would change',
    apply: (count: number) => `Apply ${count} ${count === 1 ? 'change' : 'changes'}`,
    applied: (count: number) => (count === 1 ? '1 change is applied.' : `${count} changes are applied.`),
    nothingToDo: 'The document is what is set already.',
    privacy: 'Privacy',
  },
};
