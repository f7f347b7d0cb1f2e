-- How its sessions are given messages from phones that are longer than short_message.
alter table account add column smpp_long text not null default 'payload';

-- What no webhook gets has no place in its index: at full speed that is most of what sessions are told.
drop index notice_webhook_due;
create index notice_webhook_due on notice (webhook, by_session, due) where due is not null and webhook is not null;
