-- How its sessions are given messages from phones that are longer than short_message.
alter table account add column smpp_long text not null default 'payload';
