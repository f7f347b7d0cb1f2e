import { type BindAttempt, type Version, statuses } from '@morsel/smpp';

/** The binds that the simulator accepts. Options that are undefined accept any value. */
export interface BindOptions {
  readonly systemId?: string;
  readonly password?: string;
  /** The required system_type and address_range; some carriers require exact values. */
  readonly systemType?: string;
  readonly addressRange?: string;
  /** The most sessions of one system_id. Further binds are refused with ESME_RALYBND. */
  readonly bindsMax: number;
  readonly bindRefusal?: BindRefusal;
  readonly version: Version;
}

export interface BindRefusal {
  /** The status that refuses the bind; `unanswered` means that the bind gets no answer. */
  readonly command_status: number | 'unanswered';
  /** How many binds to refuse, from the start of the simulator. Default: all binds. */
  readonly times?: number;
  /**
   * Whether the refusal contains a system_id. The standard does not allow a body in the refusal of a bind, but some
   * carriers send a body.
   */
  readonly hasBody?: boolean;
}

const ok = statuses.ESME_ROK;

/** Returns a function that decides about each bind. `bound` is the number of bound sessions with the same system_id. */
export function openBinds(
  options: BindOptions,
): (attempt: Pick<BindAttempt, 'bind'>, bound: number) => number | 'unanswered' {
  let refusals = 0;
  return ({ bind }, bound) => {
    const { bindRefusal, systemType, addressRange } = options;
    if (bindRefusal !== undefined && refusals < (bindRefusal.times ?? Infinity)) {
      refusals += 1;
      return bindRefusal.command_status;
    }
    // SMPP 3.3 does not have bind_transceiver.
    if (options.version === 0x33 && bind.command === 'bind_transceiver') return statuses.ESME_RINVCMDID;
    if (options.systemId !== undefined && options.systemId !== bind.system_id) return statuses.ESME_RINVSYSID;
    if (options.password !== undefined && options.password !== bind.password) return statuses.ESME_RINVPASWD;
    if (systemType !== undefined && systemType !== bind.system_type) return statuses.ESME_RINVSYSTYP;
    if (addressRange !== undefined && addressRange !== bind.address_range) return statuses.ESME_RBINDFAIL;
    return bound >= options.bindsMax ? statuses.ESME_RALYBND : ok;
  };
}
