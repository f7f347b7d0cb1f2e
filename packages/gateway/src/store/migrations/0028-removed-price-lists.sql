-- A list that was removed keeps its rows, because messages name the list and version that they were charged by. Its name is
-- free for another list.
alter table price_list add column removed_at integer;
