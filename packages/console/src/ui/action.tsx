/* A button that opens the form of an operation, if the viewer's role may call it. */

import type { Operation } from '@morsel/api/admin/resource.ts';
import { useMay } from '../app/session.ts';
import { useOpenDialog } from './dialog-host.tsx';
import { OperationDialog, type OperationProps } from './operation.tsx';
import { Button } from './ui.tsx';

interface ActionProps extends Omit<OperationProps, 'onClose' | 'title'> {
  readonly label: string;
  readonly operation: Operation;
  readonly kind?: 'primary' | 'danger' | 'quiet';
}

export function ActionButton({ label, operation, kind, ...form }: ActionProps) {
  const may = useMay();
  const open = useOpenDialog();
  if (!may(operation)) return null;
  const show = () => open((close) => <OperationDialog title={label} operation={operation} onClose={close} {...form} />);
  return (
    <Button {...(kind && { kind })} onClick={show}>
      {label}
    </Button>
  );
}
