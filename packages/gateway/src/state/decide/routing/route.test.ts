import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

describe('commands about routes in one group', () => {
  stories(
    {
      'join a new route': `
        route beta prefix=44 & route alpha prefix=44 & route beta prefix=44 -> ok & ok & already_exists`,
      'add a route again after its removal': 'no-route & route beta & route beta -> ok & ok & already_exists',
      'find a route by its new match alone': `
        set-route match=44 & set-route match=49 & route beta prefix=44 -> 0 & does_not_exist & ok`,
      'keep a carrier of a new route': 'route beta prefix=44 & carrier-is beta removed -> ok & in_use',
      'remove a carrier after its route': `
        route beta prefix=44 & no-route prefix=44 & carrier-is beta removed -> ok & ok & ok`,
    },
    () => opened('carrier beta'),
  );
});
