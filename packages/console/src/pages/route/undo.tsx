import { changeSet } from '@morsel/api/admin/running/change-set.ts';
import { useNavigate } from '@tanstack/react-router';
import { Act } from '../../ui/action.tsx';
import type { Row } from '../../ui/list/rows.tsx';

/** Makes the draft that undoes an applied change set, and shows it. */
export function UndoChangeSet({ name }: { readonly name: string }) {
  const goTo = useNavigate();
  const show = ({ changeSet: made }: Row): undefined => {
    void goTo({ to: '/routes/change-sets/$name', params: { name: String(made) } });
  };
  return <Act of={changeSet} verb="undo" row={{ changeSet: name, state: 'applied' }} onDone={show} />;
}
