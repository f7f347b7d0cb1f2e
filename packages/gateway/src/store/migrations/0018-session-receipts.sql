-- How its sessions get inbound messages that are longer than short_message.
alter table account add column smpp_long text not null default 'payload';

-- The index has no rows without a webhook: at full speed those are most of what sessions get.
drop index notice_webhook_due;
create index notice_webhook_due on notice (webhook, by_session, due) where due is not null and webhook is not null;
